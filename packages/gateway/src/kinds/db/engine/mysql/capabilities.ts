/** What both sides of MySQL's protocol tell each other that they can; it decides how packets look from then on. */

export const CAN = {
  /** Not set by MariaDB, which then tells more of its own in bytes that are empty otherwise. */
  longPassword: 0x1,
  foundRows: 0x2,
  longFlag: 0x4,
  connectWithDb: 0x8,
  noSchema: 0x10,
  odbc: 0x40,
  localFiles: 0x80,
  ignoreSpace: 0x100,
  protocol41: 0x200,
  interactive: 0x400,
  ssl: 0x800,
  ignoreSigpipe: 0x1000,
  transactions: 0x2000,
  reserved: 0x4000,
  secureConnection: 0x8000,
  multiStatements: 0x1_0000,
  multiResults: 0x2_0000,
  psMultiResults: 0x4_0000,
  pluginAuth: 0x8_0000,
  connectAttributes: 0x10_0000,
  longAuthData: 0x20_0000,
  expiredPasswords: 0x40_0000,
  sessionTrack: 0x80_0000,
  deprecateEof: 0x100_0000,
} as const;

/** All above but TLS, which has no place here. Neither compression, nor query attributes, nor anything that nobody here has read of: they change how packets look. */
const OFFERED = Object.values(CAN).reduce((all, each) => all | each, 0) & ~CAN.ssl;
/** Of MariaDB's own: many rows for one statement, and more about columns. Not progress, nor columns that are left out: both change what follows what. */
const OFFERED_EXTENDED = 0x4 | 0x8;

export interface Capabilities {
  basic: number;
  /** MariaDB's own. */
  extended: number;
}

/** What a client is offered: no more than the server can. */
export function offeredOf({ basic, extended }: Capabilities): Capabilities {
  return { basic: basic & OFFERED, extended: has(basic, CAN.longPassword) ? 0 : extended & OFFERED_EXTENDED };
}

/**
 * What a client is offered before anybody knows which server it wants. Never files of the client, which a server asks for: the offer
 * could not be taken back from one that must not.
 */
export const OFFERED_TO_ALL: Capabilities = { basic: OFFERED & ~CAN.localFiles, extended: 0 };

/** By these, what follows what in an answer, or what it looks like, is otherwise. */
const CHANGES_ANSWERS =
  CAN.deprecateEof | CAN.sessionTrack | CAN.multiStatements | CAN.multiResults | CAN.psMultiResults;

/** Whether a client that was told so would read the answers of this server as something else. */
export function isTooOldFor(server: Capabilities, client: Capabilities): boolean {
  return (client.basic & ~server.basic & CHANGES_ANSWERS) !== 0;
}

export function has(basic: number, one: number): boolean {
  return (basic & one) !== 0;
}
