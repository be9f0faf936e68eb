/** Tells of a session in the audit log, in the events of its kind. */
import type { Tx } from '../../platform/storage/tables.ts';
import type { Session, SessionEnd } from './session-store.ts';

/** What events of sessions know of pods. */
export interface SessionFacts {
  kubernetes_cluster?: string;
  kubernetes_users?: string[];
  kubernetes_groups?: string[];
  kubernetes_labels?: Record<string, string>;
  kubernetes_pod_name?: string;
  kubernetes_pod_namespace?: string;
  kubernetes_container_name?: string;
}

export interface SessionTeller {
  /** What every event of one says beside what all kinds say. */
  about?(session: Session): SessionFacts;
  started(tx: Tx, session: Session): Promise<void>;
  ended(tx: Tx, session: Session, end: SessionEnd & { now: number }): Promise<void>;
}
