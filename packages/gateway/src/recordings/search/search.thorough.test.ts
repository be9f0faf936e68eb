import { startRecordingWorld } from '../playback/testing/recording-world.ts';
import { searchSuite } from '../playback/testing/search-suite.ts';

searchSuite(() => startRecordingWorld());
