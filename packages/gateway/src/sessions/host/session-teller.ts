/** Tells of a session in the audit log, in the events of its kind. */
import type { Tx } from '../../platform/storage/tables.ts';
import type { Session, SessionEnd } from './session-store.ts';

export interface SessionTeller {
  started(tx: Tx, session: Session): Promise<void>;
  ended(tx: Tx, session: Session, end: SessionEnd & { now: number }): Promise<void>;
}
