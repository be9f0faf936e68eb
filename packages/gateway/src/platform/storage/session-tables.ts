/** Sessions as Kysely sees them. */
import type { Generated } from 'kysely';

export interface SessionTables {
  session: SessionTable;
  gateway: GatewayTable;
}

/** Gateways that serve something, by the database's clock. */
interface GatewayTable {
  /** Drawn for each process. */
  id: string;
  started: number;
  seen: number;
}

interface SessionTable {
  id: string;
  cluster: string;
  /** Kind of the resource. */
  kind: string;
  resource_id: string;
  /** What was decided when it was opened, with the resource as it was: decided again whenever something changes. */
  action: string;
  user: string;
  /** Ends with it; moves on when the user finds the session again from another. */
  sign_in: string;
  address: string;
  /** Drawn by who opened it: asking twice opens one. */
  request: string;
  created: number;
  cols: number;
  rows: number;
  /** The agent that holds it; empty when the gateway itself does. */
  agent: string;
  /** The gateway that serves it, and since when, by the database's clock. */
  gateway: string;
  seen: number;
  /** Everybody who was ever in it. */
  participants: string;
  mfa: number;
  recorded: number;
  /** When something was first dialled for it; null while it waits for people. */
  begun: number | null;
  /** Its people may see nothing of it now, its recording included. */
  frozen: Generated<number>;
  /** When what it was opened for first answered; null: it never did. */
  connected: Generated<number | null>;
  /** 0: nobody had a terminal. */
  interactive: Generated<number>;
  /** What it was opened to run, where that is not a shell. */
  command: Generated<string | null>;
  ended: number | null;
  end_cause: string | null;
  end_message: string | null;
}
