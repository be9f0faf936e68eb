/** What every call of the API goes through before its handler: who calls, for which cluster, and how often. */
import type { Identity } from '../identity/identity.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { requireStore } from '../platform/change-feed/lost-store.ts';
import type { BindDeps } from '../platform/http/bind.ts';
import { createFailureLimit } from '../platform/http/failure-limit.ts';
import { createProofLimit } from '../platform/http/proof-limit.ts';
import { createRateLimit, OFTEN } from '../platform/http/rate-limit.ts';

interface Parts extends Pick<BindDeps, 'clusters' | 'checkReplies'> {
  identity: Pick<Identity, 'authenticate' | 'callerOf'>;
  feed: ChangeFeed;
  now: () => number;
}

export function bindDeps({ identity, feed, now, clusters, checkReplies }: Parts): BindDeps {
  return {
    authenticate: identity.authenticate,
    callerOf: identity.callerOf,
    rateLimit: createRateLimit(now),
    wideRateLimit: createRateLimit(now, OFTEN),
    failureLimit: createFailureLimit(now),
    proofLimit: createProofLimit(now),
    requireStore: () => requireStore(feed),
    checkReplies,
    clusters,
  };
}
