/** An error that stops the start for a reason the operator can mend: its message is shown alone, without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
