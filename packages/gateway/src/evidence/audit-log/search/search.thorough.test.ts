import { describe } from 'vitest';
import { logSuite } from '../../../../testing/audit-log/log-suite.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';

describe('the log in memory', () => logSuite(() => openMemoryStorage()));
describe('the log on SQLite, read by its threads', () => logSuite(() => openSuiteStorage()));
