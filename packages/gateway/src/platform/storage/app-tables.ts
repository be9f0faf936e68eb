/** Ways to what several agents offer, sessions with applications and codes to get into one, as Kysely sees them. */
export interface AppTables {
  resource_way: ResourceWayTable;
  held_name: HeldNameTable;
  app_session: AppSessionTable;
  app_launch: AppLaunchTable;
}

/** One agent that reaches a resource which others may reach too. The resource itself is one row of `resource`. */
interface ResourceWayTable {
  cluster: string;
  kind: string;
  resource: string;
  /** The agent. */
  owner: string;
  /** What the agent said about it: only those who say the same offer the same. */
  digest: string;
}

/** To whom a name or a public host belongs, also while nobody offers what has it. */
interface HeldNameTable {
  cluster: string;
  /** The kind of resource whose name it is, `host`, or `hostname` of a machine. */
  kind: string;
  name: string;
  /** The resource that has it, by its name; the first were applications. */
  app: string;
  /** The group of tokens. */
  holder: string;
  since: number;
}

/** What lets a browser into a session with an application. The secrets themselves are not kept. */
interface AppSessionTable {
  /** SHA-256 of the first cookie. */
  hash: string;
  /** SHA-256 of the second. */
  subject_hash: string;
  /** The session's id. */
  session: string;
  user: string;
  sign_in: string;
  expires: number;
  /** Of the browser it belongs to; empty until one has shown both cookies. */
  user_agent: string;
  address: string;
}

/** A code that opens a session once. */
interface AppLaunchTable {
  /** SHA-256 of the code. */
  hash: string;
  /** SHA-256 of what the browser was given by the application's host before. */
  state_hash: string;
  session: string;
  user: string;
  sign_in: string;
  host: string;
  path: string;
  expires: number;
}
