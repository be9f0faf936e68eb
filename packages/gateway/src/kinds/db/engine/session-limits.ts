/** What is held on a connection beside what its client wants, whatever the protocol. */

export interface SessionLimits {
  /** Run at the sign-in, before anything else. */
  initSql: readonly string[];
  /** 0: as the server has it. */
  statementTimeoutMs: number;
  /** As the default of the session, which a client could change: a seat belt. The wall is a user of the database without rights. */
  readOnly: boolean;
}

export const NO_LIMITS: SessionLimits = { initSql: [], statementTimeoutMs: 0, readOnly: false };
const SHOWN_CHARACTERS = 80;

/** For the words about one that failed. */
export function shownStatement(sql: string): string {
  return sql.length > SHOWN_CHARACTERS ? `${sql.slice(0, SHOWN_CHARACTERS)}…` : sql;
}
