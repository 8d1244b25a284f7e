-- The name that an action had before.
update fw_webhooks set types = replace(types, '"audit.invite-members"', '"audit.invite-member"');
--> statement-breakpoint
-- What was not queued yet when the server stopped.
insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
  select printf('%08x-%04x-', n.now / 65536, n.now % 65536) || lower(hex(randomblob(10))), w.id, a.id, 'audit', 'audit.' || a.action, a.at, 'pending', 0, n.now, n.now
  from (select cast(unixepoch('subsec') * 1000 as integer) as now) n join fw_webhooks w on w.state = 'on' join audit_log a on a.org_id = w.org_id and a.seq > w.audit_seq
  where exists (select 1 from json_each(w.types) p where 'audit.' || a.action glob p.value) and not exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.event_id = a.id);
--> statement-breakpoint
insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
  select printf('%08x-%04x-', n.now / 65536, n.now % 65536) || lower(hex(randomblob(10))), w.id, e.id, 'security', 'security.' || e.kind, e.at, 'pending', 0, n.now, n.now
  from (select cast(unixepoch('subsec') * 1000 as integer) as now) n join fw_webhooks w on w.state = 'on' join security_events e on (w.org_id is null or e.org_id = w.org_id)
    and e.rowid > coalesce((select l.rowid from security_events l where l.id = w.event_id), w.event_place)
  where exists (select 1 from json_each(w.types) p where 'security.' || e.kind glob p.value) and not exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.event_id = e.id);
--> statement-breakpoint
ALTER TABLE `fw_webhooks` DROP COLUMN `audit_seq`;
--> statement-breakpoint
ALTER TABLE `fw_webhooks` DROP COLUMN `event_place`;
--> statement-breakpoint
ALTER TABLE `fw_webhooks` DROP COLUMN `event_id`;
--> statement-breakpoint
-- A row that is chained becomes a delivery of each webhook that names its type, in the same transaction.
create trigger fw_webhook_audit after update of seq on audit_log when old.seq is null and new.seq is not null and new.org_id is not null begin
  insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
  select printf('%08x-%04x-', n.now / 65536, n.now % 65536) || lower(hex(randomblob(10))), w.id, new.id, 'audit', 'audit.' || new.action, new.at, 'pending', 0, n.now, n.now
  from (select cast(unixepoch('subsec') * 1000 as integer) as now) n join fw_webhooks w on w.org_id = new.org_id and w.state = 'on'
  where exists (select 1 from json_each(w.types) p where 'audit.' || new.action glob p.value) and not exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.event_id = new.id);
end;
--> statement-breakpoint
-- So does a security event.
create trigger fw_webhook_security after insert on security_events begin
  insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
  select printf('%08x-%04x-', n.now / 65536, n.now % 65536) || lower(hex(randomblob(10))), w.id, new.id, 'security', 'security.' || new.kind, new.at, 'pending', 0, n.now, n.now
  from (select cast(unixepoch('subsec') * 1000 as integer) as now) n join fw_webhooks w on w.state = 'on' and (w.org_id is null or w.org_id = new.org_id)
  where exists (select 1 from json_each(w.types) p where 'security.' || new.kind glob p.value) and not exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.event_id = new.id);
end;
--> statement-breakpoint
-- Each time at which a delivery is tried next is a job: its limits are those of `webhookJob`.
create trigger fw_webhook_retry after update of next_try_at on fw_webhook_deliveries when new.next_try_at is not null begin
  insert into fw_jobs (id, name, input, state, priority, run_at, key, limit_key, limit_most, attempts, most_attempts, is_cancelling, created_at)
  select printf('%08x-%04x-', new.queued_at / 65536, new.queued_at % 65536) || lower(hex(randomblob(10))), 'fw-webhook',
    json_object('deliveryId', new.id, 'webhookId', new.webhook_id, 'at', new.next_try_at), 'scheduled',
    -- The fewest deliveries that are due go first, and what accepts nothing comes last.
    (select count(*) from (select 1 from fw_webhooks o join fw_webhook_deliveries d on d.webhook_id = o.id
      where o.org_id is w.org_id and d.next_try_at <= new.next_try_at and d.id <> new.id limit 100))
      + case when w.failing_since is null then 0 else 1000 end,
    new.next_try_at, new.id || ' ' || new.next_try_at, 'fw-webhook:' || new.webhook_id, 2, 0, 6, 0, new.queued_at
  from fw_webhooks w where w.id = new.webhook_id and not exists (select 1 from fw_jobs j where j.name = 'fw-webhook'
    and j.key = new.id || ' ' || new.next_try_at and j.state in ('scheduled', 'ready', 'blocked', 'running'));
end;
--> statement-breakpoint
-- A new delivery has its first one.
create trigger fw_webhook_try after insert on fw_webhook_deliveries when new.next_try_at is not null begin
  update fw_webhook_deliveries set next_try_at = next_try_at where id = new.id;
end;
--> statement-breakpoint
update fw_webhook_deliveries set next_try_at = next_try_at where next_try_at is not null;
