/**
 * How long a test waits for what is promised within a second or two. A machine that is slow, or busy with other tests, takes a few
 * times as long; what was forgotten, or is only found when somebody looks round once a minute, takes longer than this.
 */
export const SOON_MS = 10_000;
export const SOON_SECONDS = SOON_MS / 1_000;
