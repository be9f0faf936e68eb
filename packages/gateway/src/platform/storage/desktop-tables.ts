/** What desktops are signed in to with, and what they are known by, as Kysely sees it. */
import type { ColumnType } from 'kysely';

export interface DesktopTables {
  desktop_secret: DesktopSecretTable;
  desktop_pin: DesktopPinTable;
}

/** A password of one login: of one desktop, or of all that have some labels. */
interface DesktopSecretTable {
  id: string;
  cluster: string;
  /** Id of the desktop; empty where labels say which. */
  desktop: string;
  /** As it was written. */
  login: string;
  /** Folded, so that one login has one password. */
  login_key: string;
  /** JSON; `{}` for one desktop. */
  labels: ColumnType<string, string, never>;
  /** JSON list of ids: desktops that these agents offer are meant too, beside those that were entered. */
  agents: ColumnType<string, string, never>;
  created: number;
  created_by: string;
  sealed: string;
}

/** The certificate that somebody accepted of a desktop that an agent offers. */
interface DesktopPinTable {
  cluster: string;
  desktop: string;
  /** What it was accepted for: another address has no claim to it. */
  target: string;
  pin: string;
  /** The login whose password the host knew; empty: somebody looked at it. */
  proven_by: string;
  accepted: number;
}
