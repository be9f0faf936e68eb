/** Says of a test that it failed as soon as it has: a run that is cut off before its end has told all the same. */
import type { Reporter, TestCase } from 'vitest/node';

export default class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== 'failed') return;
    const why = result.errors.map(({ stack, message }) => stack ?? message).join('\n');
    process.stdout.write(`\nfailed just now: ${test.module.relativeModuleId}: ${test.fullName}\n${why}\n`);
  }
}
