/** Tells connections that the certificate or the key they stand on was revoked: one ear for all of them. */
import { findCertificate, PERSON_CERTIFICATE_TOPIC } from '../../identity/authorities/ssh/person-certificate-store.ts';
import { isBound } from '../../identity/stores/bound-key-store.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface CertificateWatch {
  /** Also told of what was revoked since it was shown. Gives back how to stop. */
  onRevoked(certificate: { serial: string; expires: number }, listener: () => void): () => void;
  /** The same of a key that a browser lets in. */
  onUnbound(keyId: string, listener: () => void): () => void;
  close(): void;
}

interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  now: () => number;
  log: Log;
}

interface Watched {
  isGood(): Promise<boolean>;
  known: Set<() => void>;
}

export function watchCertificates({ db, feed, now, log }: WatchDeps): CertificateWatch {
  const watched = new Map<string, Watched>();
  const revoked = (id: string) => {
    for (const listener of [...(watched.get(id)?.known ?? [])]) listener();
  };
  const lookAgain = async (id: string) => {
    if ((await watched.get(id)?.isGood()) === false) revoked(id);
  };
  const subscription = feed.subscribe([PERSON_CERTIFICATE_TOPIC], {
    change: ({ id }) => revoked(id),
    // Some were missed: which are still good is asked of the store.
    async gap() {
      for (const id of [...watched.keys()]) await lookAgain(id);
    },
  });
  const watch = (id: string, isGood: Watched['isGood'], listener: () => void) => {
    const { known } = watched.get(id) ?? { known: new Set() };
    watched.set(id, { isGood, known: known.add(listener) });
    lookAgain(id).catch((error: unknown) => log.error({ error }, 'whether a certificate or key is good is not known'));
    return () => {
      known.delete(listener);
      if (known.size === 0 && watched.get(id)?.known === known) watched.delete(id);
    };
  };
  return {
    onRevoked: ({ serial, expires }, listener) =>
      // What has ended is not kept: a session that began with it goes on.
      watch(serial, async () => expires <= now() || (await findCertificate(db, serial)) !== undefined, listener),
    onUnbound: (keyId, listener) => watch(keyId, () => isBound(db, keyId), listener),
    close: () => subscription.close(),
  };
}
