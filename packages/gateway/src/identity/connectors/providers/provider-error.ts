/** Why a sign-in through a provider failed: told to administrators by its id, and never to whoever sees the public page. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { LoginFailure } from '@gatehouse/contract/identity/login-failure';

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly step: ConnectorStep;
  readonly failure: LoginFailure;
  /** The connector or its provider is at fault, whoever signs in: it stands on the connector. Never what a stranger can bring about. */
  readonly isTrouble: boolean;

  constructor(
    step: ConnectorStep,
    message: string,
    { failure = 'callback', cause, isTrouble }: { failure?: LoginFailure; cause?: unknown; isTrouble?: boolean } = {},
  ) {
    super(message, { cause });
    this.step = step;
    this.failure = failure;
    this.isTrouble = isTrouble ?? (step === 'settings' || step === 'discovery');
  }
}
