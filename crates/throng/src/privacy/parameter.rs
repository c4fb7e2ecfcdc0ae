//! What a model is given: numbers, choices, texts and flags, described as data.

use std::fmt;

use crate::wording::Message;

/// Something that a model is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name in jobs and flags.
    pub name: &'static str,
    /// One line for people.
    pub help: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// Whether it must be given.
    pub required: bool,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A whole number, at least so large.
    Whole(f64),
    /// A number within bounds.
    Number(NumberBounds),
    /// One of some words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// Any text.
    Text,
}

/// The bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberBounds {
    /// The least number.
    pub least: f64,
    /// Whether the least itself is allowed.
    pub closed: bool,
    /// The greatest number, which is allowed.
    pub most: f64,
}

impl NumberBounds {
    /// Every number above 0.
    pub const POSITIVE: NumberBounds = NumberBounds { least: 0.0, closed: false, most: f64::INFINITY };
    /// 0, 1 and what is between.
    pub const UNIT: NumberBounds = NumberBounds { least: 0.0, closed: true, most: 1.0 };
    /// The same without 0.
    pub const SHARE: NumberBounds = NumberBounds { least: 0.0, closed: false, most: 1.0 };

    fn contain(&self, number: f64) -> bool {
        let above = if self.closed { number >= self.least } else { number > self.least };
        above && number <= self.most && number.is_finite()
    }
}

impl fmt::Display for NumberBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.closed, self.most.is_finite()) {
            (true, true) => write!(f, "a number from {} to {}", self.least, self.most),
            (true, false) => write!(f, "a number, at least {}", self.least),
            (false, true) => write!(f, "a number above {} and at most {}", self.least, self.most),
            (false, false) => write!(f, "a number above {}", self.least),
        }
    }
}

/// What a parameter was given.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A number.
    Number(f64),
    /// A word or a text.
    Text(String),
    /// Yes or no.
    Flag(bool),
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterValue::Number(number) => write!(f, "{number}"),
            ParameterValue::Text(text) => write!(f, "'{text}'"),
            ParameterValue::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

impl From<f64> for ParameterValue {
    fn from(number: f64) -> ParameterValue {
        ParameterValue::Number(number)
    }
}

impl From<&str> for ParameterValue {
    fn from(text: &str) -> ParameterValue {
        ParameterValue::Text(text.to_owned())
    }
}

impl From<bool> for ParameterValue {
    fn from(flag: bool) -> ParameterValue {
        ParameterValue::Flag(flag)
    }
}

impl Parameter {
    /// A whole number that must be given.
    pub const fn whole(name: &'static str, help: &'static str, least: f64) -> Parameter {
        Parameter { name, help, kind: ParameterKind::Whole(least), required: true }
    }

    /// A number that must be given.
    pub const fn number(name: &'static str, help: &'static str, bounds: NumberBounds) -> Parameter {
        Parameter { name, help, kind: ParameterKind::Number(bounds), required: true }
    }

    /// A text that must be given.
    pub const fn text(name: &'static str, help: &'static str) -> Parameter {
        Parameter { name, help, kind: ParameterKind::Text, required: true }
    }

    /// Something that may be given.
    pub const fn optional(name: &'static str, help: &'static str, kind: ParameterKind) -> Parameter {
        Parameter { name, help, kind, required: false }
    }

    /// What is allowed, for people.
    pub fn allowed(&self) -> String {
        match self.kind {
            ParameterKind::Whole(least) => format!("a whole number, at least {least}"),
            ParameterKind::Number(bounds) => bounds.to_string(),
            ParameterKind::Choice(words) => words.join(" or "),
            ParameterKind::Flag => "true or false".to_owned(),
            ParameterKind::Text => "a text".to_owned(),
        }
    }

    /// Reads what a flag says.
    ///
    /// # Errors
    /// A text that is none of what is allowed.
    pub fn read(&self, text: &str) -> Result<ParameterValue, GivenError> {
        let read = match self.kind {
            ParameterKind::Whole(_) | ParameterKind::Number(_) => {
                text.parse().ok().map(ParameterValue::Number)
            }
            ParameterKind::Flag => text.parse().ok().map(ParameterValue::Flag),
            ParameterKind::Choice(_) | ParameterKind::Text => Some(text.into()),
        };
        read.ok_or_else(|| self.refuse(&text.into()))
    }

    pub(super) fn check(&self, given: &ParameterValue) -> Result<(), GivenError> {
        let fits = match (self.kind, given) {
            // Beyond that, whole numbers are no longer told apart.
            (ParameterKind::Whole(least), ParameterValue::Number(number)) => {
                *number >= least && number.fract() == 0.0 && *number < 9e15
            }
            (ParameterKind::Number(bounds), ParameterValue::Number(number)) => bounds.contain(*number),
            (ParameterKind::Choice(words), ParameterValue::Text(word)) => words.contains(&word.as_str()),
            (ParameterKind::Flag, ParameterValue::Flag(_)) => true,
            (ParameterKind::Text, ParameterValue::Text(_)) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.refuse(given)) }
    }

    fn refuse(&self, given: &ParameterValue) -> GivenError {
        GivenError::OutOfRange { parameter: self.name, given: given.to_string(), allowed: self.allowed() }
    }
}

/// Why a model cannot be made of what it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenError {
    /// A parameter that must be given was not.
    Missing {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        help: &'static str,
    },
    /// A parameter that the model does not have.
    Unknown {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: String,
        /// What it takes.
        allowed: Vec<&'static str>,
    },
    /// Something that is not allowed.
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: String,
    },
    /// Things that do not go together.
    Together(Message),
    /// A model of sensitive values without a column.
    NoColumn {
        /// The model.
        model: &'static str,
    },
    /// A column for a model that looks at none.
    NeedlessColumn {
        /// The model.
        model: &'static str,
    },
}

impl GivenError {
    /// What is wrong, and what would help.
    pub fn message(&self) -> Message {
        match self {
            GivenError::Missing { model, parameter, help } => {
                format!("{model} needs {parameter}: {help}").into()
            }
            GivenError::Unknown { model, parameter, allowed } => {
                let what = format!("{model} does not take {parameter}");
                (what, format!("it takes {}", allowed.join(", "))).into()
            }
            GivenError::OutOfRange { parameter, given, allowed } => {
                (format!("{parameter} is {given}"), format!("it must be {allowed}")).into()
            }
            GivenError::Together(problem) => problem.clone(),
            GivenError::NoColumn { model } => {
                format!("{model} needs column: the sensitive column to look at").into()
            }
            GivenError::NeedlessColumn { model } => {
                format!("{model} does not take column: it looks at no sensitive column").into()
            }
        }
    }
}

impl fmt::Display for GivenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for GivenError {}
