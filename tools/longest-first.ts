/** Hands test files out to workers, each of which takes the next one as soon as it is done: suite by suite, and in each the longest first. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { whichFirst } from './test-plan.mjs';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inPlan = ({ project, moduleId }: TestSpecification) => ({
      suite: project.name,
      path: relative(this.ctx.config.root, moduleId),
    });
    // Those that the plan does not tell apart stay as the runner has them: failed ones first, then longer or larger ones.
    return (await super.sort(files)).sort((a, b) => whichFirst(inPlan(a), inPlan(b)));
  }
}
