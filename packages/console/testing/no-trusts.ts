/** What a gateway without leaves and roots tells of them. */
export const KEY = 'SHA256:9fKcVq8Tt1PI4XJvM6mKkxk5kzTnR0pO8lZ9pV4Jx2A';

export const NO_TRUSTS = {
  'GET /v1/webapi/remoteclusters': { body: [] },
  'GET /v1/webapi/trustedcluster': { body: [] },
  'GET /v1/webapi/trustedclusters/key': {
    body: { clusterId: '0f0c41e9-90ab-45d2-8d27-0c41e90ab5d2', name: 'one', fingerprint: KEY, entry: 'e30=' },
  },
};
