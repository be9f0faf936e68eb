/** Times and sizes that bound a peer. Tests shorten them; programs should not. */

export interface TunnelLimits {
  /** From the upgrade to the proof, and again from the verdict to the first stream. */
  handshakeMs: number;
  /** Until the agent has answered a request for a stream. */
  openMs: number;
  /** How long the agent keeps the word that it took a stream, to send it with the first bytes. */
  withAnswerMs: number;
  pingEveryMs: number;
  /** Counted from one ping to another: with these numbers a dead peer goes unnoticed for 12 s at most. */
  silentMs: number;
  maxStreams: number;
  /** How long the streams of an agent that said farewell may go on: one that asks for an hour would stay in all but name. */
  farewellMs: number;
}

export const TUNNEL_LIMITS: TunnelLimits = {
  handshakeMs: 10_000,
  openMs: 30_000,
  withAnswerMs: 1_000,
  pingEveryMs: 3_000,
  silentMs: 8_000,
  maxStreams: 10_000,
  // Agents ask for ten seconds.
  farewellMs: 15_000,
};
