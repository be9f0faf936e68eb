import { startRecordingWorld } from '../../../../testing/recordings/playback/recording-world.ts';
import { rightsSuite } from '../../../../testing/recordings/playback/rights-suite.ts';

rightsSuite(() => startRecordingWorld());
