import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { wordsPlugin } from './packages/console/build/words-plugin.ts';
import { LongestFirst } from './tools/longest-first.ts';

const NODE = '{packages/{contract,tunnel,gateway,agent,cli,testkit}/src,tools}';
const DOM = 'packages/{console,design}/src';
const THOROUGH = '**/*.thorough.test.{ts,tsx}';
/** Changes what others import, and so is loaded apart from them. */
const ALONE = '**/*.alone.test.ts';
const REAL_SERVERS = '{packages,tools}/**/*.integration.test.ts';
/** Walks through screens that say nothing about time, and so may run beside other suites. */
const SCREENS = 'e2e/{pages,gallery,*-screens}.test.ts';
const NOT_OURS = '**/node_modules/**';

/** What Node compiled once is compiled for every worker and every program that a test starts; the launcher keeps it there too. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'node-compile');

/**
 * Files share a worker, and Node itself loads what they import, as it does for a gateway that runs from its sources: to load all of
 * it again for each file costs more than most files. A module of ours keeps nothing that another file could find.
 */
const SHARED_WORKER = { isolate: false, experimental: { viteModuleRunner: false, nodeLoader: false } };
/** Pages need Vite to load them; each file still begins with modules and a page of its own. */
const FRESH_START = 'tools/fresh-start.ts';
const PATIENCE = 'tools/patience.ts';
const PATIENCE_WITH_PAGES = 'packages/console/testing/patience.ts';
const QUICK_PAGES = 'packages/console/testing/quick-pages.ts';
/**
 * A page is drawn from objects that are garbage at once: with more room for the young less of it is gone through. Files without a page
 * gain nothing by it, and some of them measure memory.
 */
const YOUNG_PAGES = ['--min-semi-space-size=16'];

/** What real pages and processes are waited for: the one second of the runner is over before a busy machine has drawn anything. */
const PATIENT = { poll: { timeout: 30_000 } };
const QUICK = { poll: { timeout: 10_000 } };

/**
 * Real servers and browsers are waited for as much as they work: two files for each core keep it busy. Suites that share a run need the
 * same number.
 */
const BESIDE_EACH_OTHER = { maxWorkers: 2 * availableParallelism() };

/** Of some servers a machine has one at a time: what begins a file waits for its turn. */
const TURN_MS = 600_000;

/** No test is tried twice: one that fails once in twenty runs is a defect. unit: fast, no outside programs. alone: those that change a table others read. dom: React under happy-dom. thorough and thorough-dom: the slow ones of both. integration: real servers. browser: real Chromium against a real gateway. screens: those of them that take their time. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          expect: QUICK,
          include: [`${NODE}/**/*.test.ts`],
          exclude: [THOROUGH, REAL_SERVERS, ALONE, NOT_OURS],
          ...SHARED_WORKER,
          setupFiles: [PATIENCE],
        },
      },
      {
        test: {
          name: 'alone',
          expect: QUICK,
          include: [`${NODE}/${ALONE}`],
          setupFiles: [PATIENCE],
        },
      },
      {
        plugins: [wordsPlugin()],
        test: {
          name: 'dom',
          expect: QUICK,
          include: [`${DOM}/**/*.test.{ts,tsx}`],
          exclude: [THOROUGH, NOT_OURS],
          environment: 'happy-dom',
          isolate: false,
          execArgv: YOUNG_PAGES,
          setupFiles: [FRESH_START, QUICK_PAGES, PATIENCE, PATIENCE_WITH_PAGES],
        },
      },
      {
        test: {
          name: 'thorough',
          ...SHARED_WORKER,
          expect: QUICK,
          setupFiles: [PATIENCE],
          include: [`${NODE}/${THOROUGH}`],
          ...BESIDE_EACH_OTHER,
          testTimeout: 120_000,
        },
      },
      {
        plugins: [wordsPlugin()],
        test: {
          name: 'thorough-dom',
          ...BESIDE_EACH_OTHER,
          expect: QUICK,
          include: [`${DOM}/${THOROUGH}`],
          environment: 'happy-dom',
          isolate: false,
          execArgv: YOUNG_PAGES,
          setupFiles: [FRESH_START, QUICK_PAGES, PATIENCE, PATIENCE_WITH_PAGES],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          ...SHARED_WORKER,
          setupFiles: [PATIENCE],
          expect: PATIENT,
          include: [REAL_SERVERS],
          testTimeout: 120_000,
          hookTimeout: TURN_MS,
          ...BESIDE_EACH_OTHER,
        },
      },
      {
        test: {
          name: 'screens',
          ...SHARED_WORKER,
          setupFiles: [PATIENCE],
          expect: PATIENT,
          include: [SCREENS],
          testTimeout: 400_000,
          hookTimeout: 180_000,
          ...BESIDE_EACH_OTHER,
        },
      },
      {
        test: {
          name: 'browser',
          ...SHARED_WORKER,
          setupFiles: [PATIENCE],
          expect: PATIENT,
          include: ['e2e/**/*.test.ts'],
          exclude: [SCREENS, NOT_OURS],
          testTimeout: 120_000,
          hookTimeout: TURN_MS,
          ...BESIDE_EACH_OTHER,
        },
      },
    ],
  },
});
