DROP TABLE `connection_states`;--> statement-breakpoint
DROP TABLE `identity_states`;--> statement-breakpoint
DROP TABLE `provider_states`;--> statement-breakpoint
DROP TABLE `desktop_ceremonies`;--> statement-breakpoint
DROP TABLE `identity_codes`;--> statement-breakpoint
DROP TABLE `oauth_pending_requests`;--> statement-breakpoint
DROP TABLE `oauth_used_tickets`;--> statement-breakpoint
DROP TABLE `embed_tickets`;--> statement-breakpoint
DROP TABLE `used_token_ids`;--> statement-breakpoint
DROP TABLE `email_links`;--> statement-breakpoint
DROP TABLE `passkey_challenges`;--> statement-breakpoint
DROP TABLE `two_factor_sign_ins`;