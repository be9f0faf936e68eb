import { describe } from 'vitest';
import { openMemoryStorage } from '../../storage/open-storage.ts';
import { openSuiteStorage } from '../../storage/testing/test-folder.ts';
import { logSuite } from '../testing/log-suite.ts';

describe('the log in memory', () => logSuite(() => openMemoryStorage()));
describe('the log on SQLite, read by its threads', () => logSuite(() => openSuiteStorage()));
