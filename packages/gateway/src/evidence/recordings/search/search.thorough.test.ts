import { startRecordingWorld } from '../../../../testing/recordings/playback/recording-world.ts';
import { searchSuite } from '../../../../testing/recordings/playback/search-suite.ts';

searchSuite(() => startRecordingWorld());
