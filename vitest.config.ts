import { defineConfig } from 'vitest/config';
import { wordsPlugin } from './packages/console/build/words-plugin.ts';

const NODE_TESTS = ['packages/{contract,tunnel,gateway,agent,cli}/src/**/*.test.ts', 'tools/**/*.test.ts'];
const REAL_SERVERS = '{packages,tools}/**/*.integration.test.ts';

/** A test with real processes is tried twice: a machine that is busy for a moment is no finding. unit: fast, no outside programs. dom: React under happy-dom. integration: real servers. browser: real Chromium against a real gateway. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: NODE_TESTS, exclude: [REAL_SERVERS, '**/node_modules/**'] } },
      {
        plugins: [wordsPlugin()],
        test: {
          name: 'dom',
          include: ['packages/{console,design}/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
        },
      },
      {
        test: {
          name: 'integration',
          include: [REAL_SERVERS],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          retry: 1,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          retry: 1,
        },
      },
    ],
  },
});
