/** Follows whether roles still allow what is being opened, from its first moment on: a cluster may be long in answering. */
import type { KubeEntered } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';

export interface Allowed {
  /** Instead of what was to be cut before. Throws, once that is cut, where it is over already. */
  cutWith(cut: () => void): void;
  detach(): void;
}

export function whileAllowed({ use, decision }: Pick<KubeEntered, 'use' | 'decision'>): Allowed {
  let why: string | undefined;
  let cut: (() => void) | undefined;
  const over = (reason: string) => {
    why ??= reason;
    cut?.();
  };
  const detach = use.hosted.parts.attach({
    // What rules say of objects is not what the session host decides by.
    onTerms(owner) {
      const reason = decision.whyOver(owner);
      if (reason !== undefined) over(reason);
    },
    onEnd: ({ message }) => over(message),
  });
  return {
    detach,
    cutWith(run) {
      cut = run;
      if (why === undefined) return;
      run();
      throw new KubeRefusal({ code: 403, message: why });
    },
  };
}
