/** A command that waits for an answer, as the gateway tells of it. */
export const HEADLESS = {
  header: {
    kind: 'headless_authentication',
    version: 'v1',
    metadata: { name: 'r-1', expires: '2026-11-16T03:05:00Z' },
  },
  ...{ user: 'ann', public_key: '', state: 1, client_ip_address: '198.51.100.23' },
  gatehouse: {
    ...{ code: 'K7QM-2R4X', server: 'web-1', login: 'deploy', command: 'rsync -a build/ /srv/' },
    ...{ client: 'gatehouse on build-07', elsewhere: true, browserAddress: '203.0.113.9' },
    ...{ created: '2026-11-15T03:00:00Z', expires: '2026-11-16T03:05:00Z' },
  },
};
