/** Why a sign-in through a provider failed: told to administrators by its id, and never to whoever sees the public page. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { LoginFailure } from '@gatehouse/contract/identity/login-failure';
import { AppError } from '../../../platform/std/app-error.ts';

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly step: ConnectorStep;
  readonly failure: LoginFailure;
  /** The connector or its provider is at fault, whoever signs in: it stands on the connector. Never what a stranger can bring about. */
  readonly isTrouble: boolean;
  /** It did not answer, or not with anything: that much is told to whoever sees the public page, so that they wait and do not doubt themselves. */
  readonly isAway: boolean;

  /** Fixed words for whoever sees the public page, where they can do something about it. */
  readonly advice: string;

  constructor(
    step: ConnectorStep,
    message: string,
    {
      failure = 'callback',
      cause,
      isTrouble,
      isAway,
      advice = '',
    }: { failure?: LoginFailure; cause?: unknown; isTrouble?: boolean; isAway?: boolean; advice?: string } = {},
  ) {
    super(message, { cause });
    this.step = step;
    this.failure = failure;
    this.isTrouble = isTrouble ?? (step === 'settings' || step === 'discovery');
    this.advice = advice;
    this.isAway = isAway ?? isUnreachable(cause);
  }
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'target_unreachable';
}
