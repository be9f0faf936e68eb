/** An SSH door, and the keys by which somebody comes in by it, as the gateway tells of them. */
export const FINGERPRINT = 'SHA256:wCWPh+9oXkXxhFzIyJD5cyFrwc0/8kYHxHYiRBBQTkA';

/** Besides what `ping` says without one. */
export function withDoor<P extends { proxy: { ssh: object } }>(pong: P) {
  const ssh = { ...pong.proxy.ssh, listen_addr: '0.0.0.0:3022', ssh_public_addr: 'ssh.example.com:2222' };
  return {
    ...pong,
    proxy: { ...pong.proxy, ssh },
    gatehouse: { consoleBuild: '', sshFingerprint: FINGERPRINT },
  };
}

export const CERTIFICATE = {
  serial: '5eed',
  fingerprint: 'SHA256:Nq1Ut0T7Tt1PI4XJvM6mKkxk5kzTnR0pO8lZ9pV4JcA',
  signIn: 'line',
  created: '2026-11-15T03:00:00Z',
  expires: '2026-11-15T15:00:00Z',
};

export const KEPT_KEY = {
  id: 'b-1',
  fingerprint: 'SHA256:0kz1lJYzR2mVbq3pM4YcH8l3G6w4iF9k7DgkR5bqM1U',
  address: '198.51.100.23',
  signIn: 'here',
  created: '2026-11-15T04:00:00Z',
};

/** Of somebody who has none. */
export const NO_KEYS = { 'GET /v1/webapi/ssh/certs': { body: [] }, 'GET /v1/webapi/ssh/keys': { body: [] } };
