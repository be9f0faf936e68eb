/** Files of servers in use, as Kysely sees them. */
export interface FileTables {
  file_session: FileSessionTable;
  file_ticket: FileTicketTable;
}

/** Somebody uses the files of a server as a login: any gateway may serve the next call. */
interface FileSessionTable {
  id: string;
  cluster: string;
  resource_id: string;
  login: string;
  user: string;
  /** Ends with it. */
  sign_in: string;
  created: number;
  /** A second factor was proven for it. */
  mfa: number;
}

/** A download a browser may start by itself, once. */
interface FileTicketTable {
  hash: string;
  file_session: string;
  /** What is downloaded. */
  wanted: string;
  created: number;
  /** When it was started; the same download may be gone on with for a while. */
  started: number | null;
}
