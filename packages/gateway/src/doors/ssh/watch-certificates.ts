/** Tells connections that the certificate they stand on was revoked: one ear for all of them. */
import { findCertificate, PERSON_CERTIFICATE_TOPIC } from '../../identity/authorities/ssh/person-certificate-store.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';

interface Watched {
  serial: string;
  expires: number;
}

export interface CertificateWatch {
  /** Also told of what was revoked since it was shown. Gives back how to stop. */
  onRevoked(certificate: Watched, listener: () => void): () => void;
  close(): void;
}

interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  now: () => number;
  log: Log;
}

export function watchCertificates({ db, feed, now, log }: WatchDeps): CertificateWatch {
  const listeners = new Map<string, { expires: number; known: Set<() => void> }>();
  const revoked = (serial: string) => {
    for (const listener of [...(listeners.get(serial)?.known ?? [])]) listener();
  };
  const lookAgain = async (serial: string) => {
    // What has ended is not kept: a session that began with it goes on.
    if ((listeners.get(serial)?.expires ?? 0) > now() && !(await findCertificate(db, serial))) revoked(serial);
  };
  const subscription = feed.subscribe([PERSON_CERTIFICATE_TOPIC], {
    change: ({ id }) => revoked(id),
    // Some were missed: which are still good is asked of the store.
    async gap() {
      for (const serial of [...listeners.keys()]) await lookAgain(serial);
    },
  });
  return {
    onRevoked({ serial, expires }, listener) {
      const { known } = listeners.get(serial) ?? { known: new Set() };
      listeners.set(serial, { expires, known: known.add(listener) });
      lookAgain(serial).catch((error: unknown) => log.error({ error }, 'whether a certificate is good is not known'));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(serial)?.known === known) listeners.delete(serial);
      };
    },
    close: () => subscription.close(),
  };
}
