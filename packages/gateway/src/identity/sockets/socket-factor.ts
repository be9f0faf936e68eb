/** A second factor that a role asks for at each connection, asked for and given over the socket that is being opened. */
import type { AuthenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import { socketExchange } from '../../platform/http/socket-exchange.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { FactorAnswer } from '../step-up/prove-again.ts';

const FACTOR_MS = 120_000;

export interface SocketFactorDeps {
  identity: {
    askForFactor(caller: Caller): Promise<AuthenticateChallenge>;
    proveAgain(caller: Caller, answer: FactorAnswer, exchange: Exchange): Promise<unknown>;
  };
  caller: Caller;
  request: FastifyRequest;
  ask(challenge: AuthenticateChallenge): void;
}

export class SocketFactor {
  readonly #deps: SocketFactorDeps;
  #awaited: PromiseWithResolvers<FactorAnswer> | undefined;

  constructor(deps: SocketFactorDeps) {
    this.#deps = deps;
  }

  /** Throws why it was not taken. */
  async prove(): Promise<void> {
    const { identity, caller, request, ask } = this.#deps;
    const challenge = await identity.askForFactor(caller);
    if (!challenge.webauthn_challenge && !challenge.totp_challenge)
      throw new AppError(
        'mfa_required',
        'a role of yours asks for a second factor at every connection: add a device to your account first',
      );
    const awaited = Promise.withResolvers<FactorAnswer>();
    this.#awaited = awaited;
    const timer = setTimeout(
      () => awaited.reject(new AppError('mfa_required', 'no second factor was given in time')),
      FACTOR_MS,
    );
    ask(challenge);
    try {
      await identity.proveAgain(caller, await awaited.promise, socketExchange(request));
    } finally {
      clearTimeout(timer);
      this.#awaited = undefined;
    }
  }

  /** One that nobody asked for is passed over. */
  answer({ code, key }: Partial<FactorAnswer>): void {
    this.#awaited?.resolve({ code, key });
  }

  /** The page is gone. */
  abandon(): void {
    this.#awaited?.reject(new AppError('mfa_required', 'the page went away before a second factor was given'));
  }
}
