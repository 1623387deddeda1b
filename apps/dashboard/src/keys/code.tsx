/** Text for a shell, in a box that scrolls. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
      tabIndex={0}
      className="mt-2 overflow-x-auto rounded-card border bg-sunken p-3 text-text"
    >
      <pre className="font-mono text-[13px] leading-5.5">{text}</pre>
    </section>
  );
}
