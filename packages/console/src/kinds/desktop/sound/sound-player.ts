/** Plays what comes of a desktop's sound, piece after piece, without falling behind it. */
import { SOUND_HEAD_BYTES } from '@gatehouse/contract/sessions/desktop-frames';

/** Pieces come unevenly: the first waits for so long, and so does one that comes after a silence. */
export const AHEAD_S = 0.1;
/** More than that before a piece, and it is left out: what is heard would come ever later than what is seen. */
export const BEHIND_S = 0.6;
const MAX_CHANNELS = 2;
const MIN_RATE = 8_000;
const MAX_RATE = 48_000;

export interface SoundPlayer {
  /** Channels, samples a second, and samples. What is none is passed over. */
  play(bytes: Uint8Array): void;
  close(): void;
}

export function createSoundPlayer(audio: AudioContext): SoundPlayer {
  let next = 0;
  const resume = () => void audio.resume().catch(() => undefined);
  resume();
  // Browsers play nothing of a page that nobody has touched since it was loaded.
  const touches = ['pointerdown', 'keydown'] as const;
  for (const touch of touches) window.addEventListener(touch, resume, true);
  return {
    play(bytes) {
      if (bytes.length < SOUND_HEAD_BYTES) return;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const [channels, rate] = [view.getUint8(0), view.getUint32(1, true)];
      const count = Math.floor((bytes.length - SOUND_HEAD_BYTES) / (2 * channels));
      const isPlayable = channels >= 1 && channels <= MAX_CHANNELS && rate >= MIN_RATE && rate <= MAX_RATE;
      if (!isPlayable || count < 1 || audio.state !== 'running') return;
      const now = audio.currentTime;
      if (next - now > BEHIND_S) return;
      const buffer = audio.createBuffer(channels, count, rate);
      for (let channel = 0; channel < channels; channel += 1) {
        const into = buffer.getChannelData(channel);
        for (let at = 0; at < count; at += 1)
          into[at] = view.getInt16(SOUND_HEAD_BYTES + 2 * (at * channels + channel), true) / 32_768;
      }
      const source = audio.createBufferSource();
      source.buffer = buffer;
      source.connect(audio.destination);
      const at = next > now ? next : now + AHEAD_S;
      source.start(at);
      next = at + buffer.duration;
    },
    close() {
      for (const touch of touches) window.removeEventListener(touch, resume, true);
      void audio.close().catch(() => undefined);
    },
  };
}
