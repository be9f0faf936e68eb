/** A session from the moment both sides are ready, whatever its protocol. */

/** What is told of statements is written behind them, for a while. */
export interface WrittenBehind {
  /** So much is not written yet that the client has to wait, until this is settled. */
  behind?(): Promise<void> | undefined;
}

export interface PassedOn {
  /** When nothing passes any more. */
  over: Promise<void>;
  /** Whether something runs at the server. */
  isBusy(): boolean;
  /** How long it is the turn of what is answered next; 0 where nothing runs. */
  runningMs(): number;
  /** Cancels what runs, and tells the client why it is over, in an error of its protocol. */
  end(reason: string): Promise<void>;
}
