/** Asks for the second factor that the gateway wants before it opens the database. */
import { Suspense } from 'react';
import { FactorQuestion } from '../../../../shared/credentials/factor-question.tsx';
import type { OpenBench } from '../bench/use-bench.ts';

export function BenchFactor({ open: { about, bench, view } }: { open: OpenBench }) {
  if (!view.challenge) return null;
  return (
    <Suspense>
      <FactorQuestion
        name={about.database}
        challenge={view.challenge}
        onAnswer={bench.answerFactor}
        onClose={bench.giveUp}
      />
    </Suspense>
  );
}
