import { describe } from 'vitest';
import { openMemoryStorage } from '../storage/open-storage.ts';
import { openSuiteStorage } from '../storage/testing/test-folder.ts';
import { changeFeedContract } from './testing/change-feed-contract.ts';

describe('the change feed in memory', () => changeFeedContract(() => openMemoryStorage()));

describe('the change feed on SQLite', () => changeFeedContract(() => openSuiteStorage()));
