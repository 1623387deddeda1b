const LINE_WIDTH = 110;

/** A value as a JSON file, formatted like the other files of the project. */
export const jsonText = (value: unknown): string => `${formatJson(value, '', 0)}\n`;

/** JSON in which objects and lists that fit into a line are one; `used` is the width of what stands around them. */
function formatJson(value: unknown, indent: string, used: number): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || used + line.length <= LINE_WIDTH) return line;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList ? value.map((item) => ['', item]) : Object.entries(value);
  const lines = members.map(([key, member], index) => {
    const name = isList ? deeper : `${deeper}${JSON.stringify(key)}: `;
    const comma = index < members.length - 1 ? 1 : 0;
    return `${name}${formatJson(member, deeper, name.length + comma)}`;
  });
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
