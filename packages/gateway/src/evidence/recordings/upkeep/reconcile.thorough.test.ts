import { describe } from 'vitest';
import { startRecordingWorld } from '../../../../testing/recordings/recording-world.ts';
import { upkeepSuite } from '../../../../testing/recordings/upkeep-suite.ts';

describe('sessions and recordings, compared in memory', () => upkeepSuite(() => startRecordingWorld()));
