/** A statement, and where it stands in what somebody wrote. */
export interface PlacedStatement {
  sql: string;
  from: number;
  to: number;
}
