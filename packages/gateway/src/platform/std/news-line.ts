/** One line of messages to another cluster, for as long as its tunnel is up. Who holds the tunnels opens it; what is said is identity's. */

export interface NewsLine {
  /** In order. One who takes nothing of it is cut off. */
  say(message: object): void;
  /** Aborted once nothing is heard or said any more. */
  readonly over: AbortSignal;
  /** Ends the tunnel: the other side comes back, and says everything again. */
  cut(reason: string): void;
}

/** One after the other, as they came and not looked at yet; one that throws ends the tunnel. */
export type HearNews = (message: unknown) => void | Promise<void>;

export interface ClusterNews {
  /** At the root: that leaf is there. */
  withLeaf(leafId: string, line: NewsLine): HearNews;
  /** At the leaf: the root of that trust is there. */
  withRoot(trust: string, line: NewsLine): HearNews;
}
