import { describe } from 'vitest';
import { changeFeedContract } from '../../../testing/changes/change-feed-contract.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openSuiteStorage } from '../../../testing/storage/test-folder.ts';

describe('the change feed in memory', () => changeFeedContract(() => openMemoryStorage()));

describe('the change feed on SQLite', () => changeFeedContract(() => openSuiteStorage()));
