/** Names under which the console keeps things in the browser; other clients of this wire use the same. */

export const STORAGE_KEYS = {
  token: 'grv_teleport_token',
  tokenRenewal: 'grv_teleport_token_renew',
  lastActive: 'grv_teleport_last_active',
  discover: 'grv_teleport_discover',
  telemetry: 'enable-telemetry',
  disabledAlerts: 'disabledAlerts',
} as const;
