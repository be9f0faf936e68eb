/** What another cluster asks of somebody before it lets them in: a code, and nothing else, so often and no more. */

/** Codes that are passed on; that cluster counts them too, and the one that checks them. */
const MAX_CODES = 3;

/** `asks`: for a code, and nothing goes on before it. */
export type LeafStage = 'in' | 'asks';

export class LeafQuestions {
  readonly #username: string;
  readonly #onAsked: () => void;
  #stage = Promise.withResolvers<LeafStage>();
  #give: ((code: string) => void) | undefined;
  #codes = 0;

  constructor(username: string, onAsked: () => void) {
    this.#username = username;
    this.#onAsked = onAsked;
  }

  stage(): Promise<LeafStage> {
    return this.#stage.promise;
  }

  /** No more of them count. */
  get isUsedUp(): boolean {
    return this.#codes > MAX_CODES;
  }

  /** After `asks`. False: it asks for nothing any more. */
  answer(code: string): boolean {
    this.#stage = Promise.withResolvers();
    const give = this.#give;
    this.#give = undefined;
    give?.(code);
    return give !== undefined;
  }

  /** Nothing is asked any more, whatever became of it. */
  over(): void {
    this.#stage.resolve('in');
  }

  /** How ssh2 is told to sign in. */
  readonly signIn = (methods: string[] | null, _partial: boolean | null, next: (how: unknown) => void): void => {
    next(this.#nextWay(methods));
  };

  #nextWay(methods: string[] | null): object | false {
    const username = this.#username;
    if (methods === null) return { type: 'none', username };
    this.#codes += 1;
    if (!methods.includes('keyboard-interactive') || this.isUsedUp) return false;
    return { type: 'keyboard-interactive', username, prompt: this.#asked };
  }

  readonly #asked = (
    _name: string,
    _told: string,
    _lang: string,
    prompts: unknown[],
    finish: (given: string[]) => void,
  ): void => {
    // What it would have asked is not shown: only this gateway asks its people, and for nothing but a code.
    if (prompts.length !== 1) {
      finish([]);
      return;
    }
    this.#give = (code) => finish([code]);
    this.#onAsked();
    this.#stage.resolve('asks');
  };
}
