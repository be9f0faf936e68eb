/** Agents, their join tokens, authorities and tried connections as Kysely sees them. */
export interface ServerTables {
  join_token: JoinTokenTable;
  join_token_use: JoinTokenUseTable;
  join_attempt: JoinAttemptTable;
  join_challenge_use: JoinChallengeUseTable;
  agent: AgentTable;
  ssh_authority: SshAuthorityTable;
  ssh_certificate: SshCertificateTable;
  db_authority: DbAuthorityTable;
  db_state: DbStateTable;
  made_db_user: MadeDbUserTable;
  own_statement: OwnStatementTable;
  db_approval: DbApprovalTable;
  connection_diagnostic: ConnectionDiagnosticTable;
  node_state: NodeStateTable;
  removed_node: RemovedNodeTable;
}

/** A statement, or several together, that somebody asked to run. */
interface DbApprovalTable {
  id: string;
  cluster: string;
  /** Its id. */
  database: string;
  /** What the record led to when it was asked: at another one, nothing was asked. */
  target: string;
  protocol: string;
  db_user: string;
  db_name: string;
  user: string;
  reason: string;
  /** Once it is over, without its secrets. */
  sql: string;
  /** Of the text as it was asked; empty once it is over and held a secret. */
  sha256: string;
  statements: number;
  state: string;
  created: number;
  /** Of the state it is in. */
  expires: number;
  /** Empty until then. */
  decided_by: string;
  decided: number | null;
  note: string;
  used: number | null;
}

/** Whether a server with plain OpenSSH answered when it was last tried. */
interface NodeStateTable {
  cluster: string;
  id: string;
  state: string;
  checked: number;
  /** What was wrong; empty while nothing is. */
  why: string;
}

/** What was learned of a database when it was last dialled. */
interface DbStateTable {
  cluster: string;
  id: string;
  /** SHA-256 of what was dialled, and how: of another target nothing is known. */
  target: string;
  reached: number;
  /** As the server says it; empty where nobody was in yet. */
  version: string;
  /** Of MySQL: what the server can, its basic and MariaDB's own numbers as JSON; empty for others. */
  capabilities: string;
  /** Null: without TLS that is checked. */
  certificate_end: number | null;
}

/** A database user that was made on the fly, and is not disabled yet. */
interface MadeDbUserTable {
  cluster: string;
  /** Of the database. */
  id: string;
  db_user: string;
  /** Of the record it was made by: at another address there is no such user. */
  target: string;
  /** Another one each time somebody is let in. */
  mark: string;
  /** 1: it is dropped where that can be. */
  dropped: number;
  since: number;
  /** 1: it was told that it could not be disabled. */
  told: number;
}

/** A server that was removed, by what its machine is known again. */
interface RemovedNodeTable {
  cluster: string;
  id: string;
  addr: string;
  /** The agent it was reached through; empty for none. */
  through: string;
  /** One on each line. */
  host_keys: string;
  labels: string;
  removed: number;
}

/** What a machine shows once. The secret itself is not kept. */
interface JoinTokenTable {
  id: string;
  /** SHA-256 of the secret. */
  hash: string;
  /** Its first characters, for people. */
  hint: string;
  roles: string;
  labels: string;
  created: number;
  created_by: string;
  expires: number;
  /** Null: no limit. */
  max_uses: number | null;
  uses: number;
  /** What machines that join with it may offer. */
  offers: string;
  /** Names and hosts of applications belong to a group of tokens; to this token alone unless told. */
  token_group: string;
  /** Rules of clouds and labels of databases, as they were given. */
  allow_rules: string;
  matcher_labels: string;
  /** Database servers that may be signed with it. */
  hosts: string;
  /** `token`: by its secret. `iam`: by who AWS says the machine is; what is hashed is then a name, and no secret. */
  method: string;
}

/** Challenges that AWS was asked with: no second time, for as long as they could be taken. */
interface JoinChallengeUseTable {
  digest: string;
  expires: number;
}

/** Which key used which token: the same machine that asks twice, because the first answer was lost, uses it once. */
interface JoinTokenUseTable {
  token: string;
  key: string;
  time: number;
}

/** What came of a token lately, told to who waits for it. Kept for an hour. */
interface JoinAttemptTable {
  /** Its id; one that was taken back leaves rows that nobody asks for. */
  token: string;
  outcome: string;
  /** What makes two attempts the same: the agent that joined, or who tried and from where. */
  about: string;
  time: number;
  expires: number;
  name: string;
  address: string;
  /** Of a refusal; empty otherwise. */
  reason: string;
  next: string;
  /** What an agent that joined has said it offers; null until it has. */
  offers: string | null;
}

interface AgentTable {
  id: string;
  cluster: string;
  /** Its name is its alone for as long as it is known. */
  name: string;
  /** Ed25519 public key, base64url. */
  key: string;
  roles: string;
  /** Given by its token. */
  labels: string;
  version: string;
  created: number;
  /** Who made the token it joined with. */
  created_by: string;
  last_seen: number | null;
  address: string;
  /** Which connection of which gateway is its current one; empty while it has none. */
  connection: string;
  /** As its token had them. */
  offers: string;
  token_group: string;
  matcher_labels: string;
  /** Which databases it says it looks after; those that its token's labels fit as well, it does. */
  database_match: string;
}

/** The private half is in the gateway's secrets, under `ssh authority ID`. */
interface SshAuthorityTable {
  id: string;
  public_key: string;
  created: number;
  /** Null while it signs. */
  leaves: number | null;
  /** Who trusts what it signs. */
  purpose: string;
}

/** A certificate that somebody holds. One without a row is worth nothing. */
interface SshCertificateTable {
  /** Its serial in hexadecimal: it is larger than numbers are here. */
  serial: string;
  user: string;
  sign_in: string;
  /** Of the key that is certified. */
  fingerprint: string;
  created: number;
  expires: number;
  /** When its one session began, of one that is good for no more. */
  used: number | null;
}

/** What signs certificates of databases, of our sign-ins to them, and of people at native doors. */
interface OwnStatementTable {
  id: string;
  user: string;
  database: string;
  /** Of one that is kept by a name; null: of the history. */
  name: string | null;
  sql: string;
  at: number;
  /** JSON: what came of it. */
  told: string;
}

interface DbAuthorityTable {
  id: string;
  purpose: string;
  /** PEM. */
  certificate: string;
  created: number;
  /** From when on; before, it is only announced. */
  signs: number;
  /** When it is gone; null while nothing follows it. */
  leaves: number | null;
}

interface ConnectionDiagnosticTable {
  id: string;
  user: string;
  /** To what; null of what is not added yet. */
  kind: string | null;
  resource: string | null;
  time: number;
  expires: number;
  data: string;
}
