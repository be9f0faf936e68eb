import { startRecordingWorld } from './testing/recording-world.ts';
import { rightsSuite } from './testing/rights-suite.ts';

rightsSuite(() => startRecordingWorld());
