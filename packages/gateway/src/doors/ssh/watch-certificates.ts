/** Tells connections that the certificate they stand on was revoked: one ear for all of them. */
import { findCertificate, PERSON_CERTIFICATE_TOPIC } from '../../identity/authorities/ssh/person-certificate-store.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface CertificateWatch {
  /** Gives back how to stop. */
  onRevoked(serial: string, listener: () => void): () => void;
  close(): void;
}

export function watchCertificates({ db, feed }: { db: Db; feed: Pick<ChangeFeed, 'subscribe'> }): CertificateWatch {
  const listeners = new Map<string, Set<() => void>>();
  const revoked = (serial: string) => {
    for (const listener of [...(listeners.get(serial) ?? [])]) listener();
  };
  const subscription = feed.subscribe([PERSON_CERTIFICATE_TOPIC], {
    change: ({ id }) => revoked(id),
    // Some were missed: which are still good is asked of the store.
    async gap() {
      for (const serial of [...listeners.keys()]) if (!(await findCertificate(db, serial))) revoked(serial);
    },
  });
  return {
    onRevoked(serial, listener) {
      const known = listeners.get(serial) ?? new Set();
      listeners.set(serial, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(serial) === known) listeners.delete(serial);
      };
    },
    close: () => subscription.close(),
  };
}
