/** Whether capital letters are locked, as far as the last key told. */
import { type KeyboardEvent, useState } from 'react';

export function useCapsLock() {
  const [isOn, setOn] = useState(false);
  const listen = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
  return { isOn, handlers: { onKeyDown: listen, onKeyUp: listen, onBlur: () => setOn(false) } };
}
