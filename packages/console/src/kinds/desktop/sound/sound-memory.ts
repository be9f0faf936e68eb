/** At which desktops somebody plays what is played there, remembered in this browser and nowhere else. */
import { z } from 'zod';

/** The ones chosen longest ago are forgotten. */
const MAX_CHOICES = 100;
const KEY = 'gatehouse_desktop_sound';

export interface SoundMemory {
  wasOn(): boolean;
  remember(isOn: boolean): void;
}

/** Of one person: others who use this browser have chosen nothing by it. */
export function soundMemory(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  { user, clusterId, name }: Record<'user' | 'clusterId' | 'name', string>,
): SoundMemory {
  const mine = JSON.stringify([user, clusterId, name]);
  // Read each time: another tab may have chosen meanwhile.
  const read = () => readChoices(storage.getItem(KEY));
  return {
    wasOn: () => read().includes(mine),
    remember(isOn) {
      const others = read().filter((known) => known !== mine);
      storage.setItem(KEY, JSON.stringify((isOn ? [...others, mine] : others).slice(-MAX_CHOICES)));
    },
  };
}

function readChoices(text: string | null): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}
