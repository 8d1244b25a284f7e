// Password hashes that other programs wrote, as cheap as each allows: Django 5.2, Python's bcrypt 5.0, argon2-cffi 25.1, passlib
// 1.7 and Better Auth 1.7.

export const PASSWORD = 'zebra quilt 7 lantern'

/** Each form with a hash of `PASSWORD`. */
export const foreignHashes: Readonly<Record<string, string>> = {
  'bcrypt $2a$': '$2a$04$upbuyp3Xl.0i2cPXXLrj1OpRNW9lbnIYmIenT71ls/bVusWmf3/3.',
  'bcrypt $2b$': '$2b$04$7bQ81ajTj5/mAngBzJinE.IXV.LHBrR/9Vv85xDe/Ea7.9AFeQ5Wi',
  'bcrypt $2y$ of Laravel': '$2y$04$7bQ81ajTj5/mAngBzJinE.IXV.LHBrR/9Vv85xDe/Ea7.9AFeQ5Wi',
  'bcrypt of Django': 'bcrypt$$2b$04$JVzyAYtqGqsz1oyNV8s9huQYcVxoMLneGV0S/DTjEXS5u9jsRW5.C',
  'bcrypt_sha256 of Django': 'bcrypt_sha256$$2b$04$.40OjH60WIQyYQAIyd1O3eoz13JlnVU5Qf7rsPhNdnhwikJMbdqPq',
  argon2id: '$argon2id$v=19$m=128,t=2,p=1$N2/vcN3cV74N3Bnw8U0/OQ$H9rQXCDBuWoBysXUXapCKxSRDlS9p9LosGcm4s52Nhk',
  'argon2id of Django':
    'argon2$argon2id$v=19$m=64,t=1,p=2$U2FsdHlTYWx0eVNhbHQxMg$182s4hly7HRn6tflVKyWPKfkQDRBT+/+PDz6FRYczM4',
  'scrypt in PHC form': '$scrypt$ln=10,r=8,p=1$UMqZ8977nzOGcE4JwZjzXg$M22bRtufsY+HIGgnqXOLVYOSn4F/UfckmgO3bZm+Is8',
  'scrypt of Django':
    'scrypt$1024$SaltySaltySalt12$8$1$9hNz7JbHAjW+hxLYBdUKWiRqHwz0GtWuUYi45V+5rTf6OIiw9xmgRgrp5oZd8FBLjO2H6Rx4IItN/1DJbkyPfw==',
  'PBKDF2 with SHA-256': '$pbkdf2-sha256$1000$lrK21jqHUKoVQghhDKH03g$vJ8Sc.KhJt81TsMsrK.GTowyhXg5jedKFhfPT/0Dtlo',
  'PBKDF2 with its names':
    '$pbkdf2-sha256$i=1000,l=32$lrK21jqHUKoVQghhDKH03g$vJ8Sc+KhJt81TsMsrK+GTowyhXg5jedKFhfPT/0Dtlo',
  'PBKDF2 with SHA-512':
    '$pbkdf2-sha512$1000$Q2htDUFIKUXo3bs3JoQQYg$.YsUdTq/kZvfGL5Sx1cuYZuYc7Xc1HwigQjWHo/p1U92x/NkxnYKMIlQm/GdYF7JX8STdJr0pMp5SBF0ls9h9w',
  'pbkdf2_sha256 of Django': 'pbkdf2_sha256$1000$SaltySaltySalt12$JytL3msd2w681kSIYJJs1nPXnntnMRn6Qp940wioOx0=',
  'scrypt of Better Auth':
    '270e22d910046121c8ef9c08cc78dcb3:eefd01b00958cc34e3337d1efeb029069d84c5ec3c7cb5b2d2f8c7589cdfc9727c8c98ed54af0059e73a009bb5f481e22bb2094be6278548985634eca366c3c7',
  'pbkdf2_sha1 of Django': 'pbkdf2_sha1$1000$SaltySaltySalt12$1OfJHLsRCdqth521PhS6+/8u1lI=',
}

/** A hash of Better Auth of `café quilt`. */
export const UNICODE_HASH =
  '4947e3defb447bafe1c30b0ce10e89a2:dae378d11d2348991ccca0b56110f5f41da78f13535d7895674b5ccd4c0fbe3699194f1735614da3af68e75b6a1281e16a13157ee134d34b2b891eafa53c08f8'

/** A hash of a password that Fairway refuses for new ones: `secret`. */
export const SHORT_HASH = '$2b$04$8a37R/Vo28ZdYLgUwUzjiesQUHfT10CdvXHshz2meIpHFlbtla5Oq'

/** The example of Firebase's own README (github.com/firebase/scrypt): its project, account and password. */
export const firebase = {
  password: 'user1password',
  n: 14,
  r: 8,
  ss: 'Bw==',
  sk: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  salt: '42xEC+ixf3L2lw==',
  hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
}

/** Writes that account as the import takes it. */
export const firebaseHash = ({ n, r, ss, sk, salt, hash }: Omit<typeof firebase, 'password'> = firebase): string =>
  `$fbscrypt$v=1,n=${n},r=${r},p=1,ss=${ss},sk=${sk}$${salt}$${hash}`
