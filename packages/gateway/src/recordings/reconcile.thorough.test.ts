import { describe } from 'vitest';
import { startRecordingWorld } from './testing/recording-world.ts';
import { upkeepSuite } from './testing/upkeep-suite.ts';

describe('sessions and recordings, compared in memory', () => upkeepSuite(() => startRecordingWorld()));
