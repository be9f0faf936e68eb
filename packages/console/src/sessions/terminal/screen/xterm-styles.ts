/** What xterm gets instead of style elements and attributes, see build/xterm-plugin.ts: rules in a sheet that script made are allowed. */

/** Takes rules as a style element would, and gives them up when it is removed. */
export function styleElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('span');
  element.hidden = true;
  Object.defineProperty(element, 'textContent', { set: (rules: string) => sheet.replaceSync(rules) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    HTMLElement.prototype.remove.call(element);
  };
  return element;
}

export function addStyle(element: HTMLElement, rule: string): void {
  element.style.cssText += `;${rule};`;
}
