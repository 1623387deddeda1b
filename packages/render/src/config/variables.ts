/** Replaces `{{name}}` of the configured variables; unknown names stay. Lines keep their numbers. */
export function substituteVariables(text: string, variables: Readonly<Record<string, string>>): string {
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{\s*([A-Za-z0-9_.-]{1,100})\s*\}\}/g, (whole, name: string) => {
    if (!Object.hasOwn(variables, name)) return whole;
    return (variables[name] ?? '')
      .replace(/<[^>]*>/g, '')
      .replace(/[<>]/g, '')
      .replace(/\s+/g, ' ');
  });
}
