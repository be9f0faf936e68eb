/** What the gateway and the thread of workbenches say to each other. Each bench is one session; each link one connection of it at the database. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import type { EditorRequest, KeptStatement } from '@gatehouse/contract/kinds/db/editor';

export interface BenchTerms {
  protocol: DbProtocol;
  dbUser: string;
  dbName: string;
  /** Which may be used, as roles and the record name them; `*`: any. */
  dbNames: readonly string[];
  readOnly: boolean;
  webRows: number;
  mayExport: boolean;
}

/** What is kept of a person's own statements is kept by the gateway. */
export type BenchRequest =
  | Exclude<EditorRequest, { type: 'factor' | 'history' | 'saved' | 'save' | 'forget' | 'runApproved' }>
  | ApprovedRequest;

/** No page can ask for it: the gateway does, once it has seen the approval and marked it as used. */
export interface ApprovedRequest {
  type: 'approved';
  id: number;
  approval: string;
  sql: string;
}

export type ToThread =
  | { type: 'open'; bench: string; terms: BenchTerms }
  | { type: 'hear'; bench: string; request: BenchRequest }
  | { type: 'bytes'; bench: string; link: number; bytes: Uint8Array }
  /** The far end is gone. */
  | { type: 'cut'; bench: string; link: number }
  | { type: 'close'; bench: string };

export type FromThread =
  /** `approval`: for what was approved, and given once. */
  | { type: 'connect'; bench: string; link: number; approval?: string | undefined }
  | { type: 'bytes'; bench: string; link: number; bytes: Uint8Array }
  /** So many bytes were worked on: as many more may come. */
  | { type: 'took'; bench: string; link: number; count: number }
  | { type: 'hangUp'; bench: string; link: number }
  /** A frame for the page. */
  | { type: 'tell'; bench: string; text: string }
  | { type: 'ready'; bench: string; version: string }
  | { type: 'failed'; bench: string; message: string }
  | { type: 'ran'; bench: string; statement: RanStatement };

/** `refused`: it was held back here, and never reached the database. */
export type RanStatement = KeptStatement & { refused?: true };

/** On their way to the thread, of one link. */
export const LINK_AHEAD_BYTES = 1024 * 1024;
