/** The looks of a report: the page's tokens, light and dark, with the reader's own fonts, and good on paper. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--canvas:light-dark(oklch(.988 .001 270),oklch(.172 .004 270));--surface:light-dark(#fff,oklch(.198 .004 270));--border:light-dark(oklch(.2 .01 270/.12),oklch(1 0 0/.12));--text:light-dark(oklch(.225 .008 270),oklch(.955 .002 270));--subtle:light-dark(oklch(.48 .01 270),oklch(.72 .008 270));--live:light-dark(oklch(.51 .115 157),oklch(.79 .14 157));--failed:light-dark(oklch(.53 .18 26),oklch(.73 .15 24));--waiting:light-dark(oklch(.53 .105 68),oklch(.81 .12 78))}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--text);font:14px/22px Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:840px;margin:0 auto;padding:40px 20px}
h1{margin:0;font-size:28px;line-height:36px;letter-spacing:-.014em}
h2{margin:0 0 12px;font-size:16px;line-height:24px}
header p{margin:4px 0 0}
section{margin-top:24px;padding:20px;background:var(--surface);border:1px solid var(--border);border-radius:10px}
p{margin:0 0 12px}
.subtle,small,figcaption{color:var(--subtle);font-size:12px;line-height:16px}
small{display:block}
.notice{margin-top:16px;padding:10px 12px;border:1px solid var(--waiting);border-radius:6px}
ul{margin:0;padding-left:18px}
.verdicts{list-style:none;padding:0}
.verdicts li{padding:10px 0;border-top:1px solid var(--border)}
.verdicts li:first-child{border-top:0}
.tag{display:inline-block;padding:0 6px;border:1px solid var(--border);border-radius:4px;font-size:12px;line-height:18px;color:var(--subtle)}
.noise strong,.unknown strong{font-weight:400}
.kept .tag{color:var(--live)}
.broken .tag{color:var(--failed)}
figure{margin:0 0 16px}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--subtle);font-size:11px}
svg .label{fill:var(--text);font-weight:600}
.grid{stroke:var(--border)}
.dots{stroke:var(--text);stroke-opacity:.45;stroke-linecap:round}
.median{stroke:var(--text);stroke-width:2}
.crosses{stroke:var(--failed);stroke-width:1.5;fill:none}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;margin-bottom:8px}
th,td{padding:8px 12px 8px 0;border-top:1px solid var(--border);text-align:right;vertical-align:top;white-space:nowrap}
thead th{border-top:0;color:var(--subtle);font-size:12px;font-weight:500}
tr>:first-child{text-align:left;white-space:normal}
pre{overflow-x:auto;padding:12px;border:1px solid var(--border);border-radius:6px;font:12px/18px "JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
summary{cursor:pointer;margin-top:12px}
footer{margin-top:24px}
@media print{section{break-inside:avoid}}
`;
