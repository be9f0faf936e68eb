/** What one OpenID provider of a test remembers. The one it brings along warns in every log that it is not for use. */
import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

export interface OidcStore {
  adapter: AdapterFactory;
  /** Everybody who is signed in there did so that much longer ago. */
  ageSessions(ms: number): void;
}

export function createOidcStore(): OidcStore {
  const models = new Map<string, Map<string, AdapterPayload>>();

  const ageSessions = (ms: number) => {
    for (const payload of models.get('Session')?.values() ?? [])
      if (payload.loginTs !== undefined) payload.loginTs -= Math.floor(ms / 1000);
  };
  const adapter: AdapterFactory = (model) => {
    const kept = models.get(model) ?? new Map<string, AdapterPayload>();
    models.set(model, kept);
    const findBy = async (fits: (payload: AdapterPayload) => boolean) => [...kept.values()].find(fits);
    return {
      async upsert(id, payload) {
        kept.set(id, payload);
      },
      find: async (id) => kept.get(id),
      findByUid: async (uid) => await findBy((payload) => payload.uid === uid),
      findByUserCode: async (code) => await findBy((payload) => payload.userCode === code),
      async consume(id) {
        const payload = kept.get(id);
        if (payload) kept.set(id, { ...payload, consumed: Math.floor(Date.now() / 1000) });
      },
      async destroy(id) {
        kept.delete(id);
      },
      async revokeByGrantId(grant) {
        for (const [id, { grantId }] of kept) if (grantId === grant) kept.delete(id);
      },
    };
  };
  return { adapter, ageSessions };
}
